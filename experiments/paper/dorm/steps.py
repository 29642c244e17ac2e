"""steps.py: seconds of the user step and of the item step, by number of users."""
import os
import subprocess
import tempfile


def run(job):
    """{split: number of users, queries: number of items} -> {"users", "items": seconds of the step, "rankings": of both}."""
    with tempfile.TemporaryDirectory() as folder:
        ratings, model = os.path.join(folder, "ratings"), os.path.join(folder, "model")
        generate = ["--num-users", "%d" % job["split"], "--num-items", "%d" % job["queries"], "-o", ratings]
        subprocess.run([os.environ["DORM"], "generate", "ratings"] + generate, check=True, stdout=subprocess.DEVNULL)
        settings = ["ratings.file=" + ratings, "output.model=" + model, "solver.threads=1", "factorization.start=random"]
        settings += ["factorization.penalty=2"]  # under the default the vectors become 0
        command = [os.environ["DORM"], "factorize", "-q"] + [word for setting in settings for word in ("-s", setting)]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    words = next(line.split() for line in printed.split("\n") if line.split()[:1] == ["1"])
    return {"users": float(words[4]), "items": float(words[5]), "passes": int(words[6]), "rankings": int(words[7])}
