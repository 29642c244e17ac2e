"""backend.py: builds the wheel and the source distribution, for pip (PEP 517) and for `make wheel`.

    python3 backend.py wheel FOLDER BUILD      a wheel into FOLDER; the library is built in BUILD
    python3 backend.py sdist FOLDER TARBALL    the tarball of `make dist` as a source distribution

The wheel holds libdorm and the command, built without GLPK (so that the whole is under the MIT licence), and the libraries that it needs
and a system may lack. They lie in dorm/_lib under names of their own and find each other there. Needs patchelf; without
it, the wheel links the libraries of this system, is for this system alone, and has no command.
"""

import base64
import glob
import hashlib
import io
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
NAME = "dorm-rank"  # `dorm` is another project on PyPI
STEM = NAME.replace("-", "_")
# What every Linux of the glibc that the tag names has (PEP 600).
OF_THE_SYSTEM = re.compile(r"(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s))\.so")


def version():
    return re.search(r'PACKAGE_VERSION = "(.*)"', (HERE / "dorm" / "_structs.py").read_text()).group(1)


def metadata():
    return f"""Metadata-Version: 2.1
Name: {NAME}
Version: {version()}
Summary: Learning to rank by optimising the ranking measure itself
Author: the dorm developers
License: MIT
Keywords: learning to rank,ranking,ndcg,lambdamart,structured svm,information retrieval
Classifier: Development Status :: 4 - Beta
Classifier: Intended Audience :: Science/Research
Classifier: License :: OSI Approved :: MIT License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: numpy>=1.20
Requires-Dist: scikit-learn; extra == "all"
Requires-Dist: scipy; extra == "all"
Requires-Dist: pandas; extra == "all"
Requires-Dist: matplotlib; extra == "all"
Requires-Dist: tqdm; extra == "all"
Provides-Extra: all
License-File: LICENSE
Description-Content-Type: text/markdown

{(HERE / "README.md").read_text(encoding="utf-8")}"""


def run(*words, folder=None):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))} fails:\n{done.stdout[-4000:]}")
    return done.stdout


# ---- The library and what it needs ---------------------------------------------------


def build(folder):
    """Builds the library and the command in a folder, which may hold an earlier build, and returns their paths."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not (ROOT / "configure").exists():
        run("autoreconf", "-fi", folder=ROOT)
    if not (folder / "Makefile").exists():
        run(ROOT / "configure", "--without-glpk", "--without-mpi", "--without-python", folder=folder)
    run("make", f"-j{os.cpu_count()}", "libdorm.la", "dorm", folder=folder)
    return built(folder)


def built(folder):
    folder = pathlib.Path(folder, ".libs").resolve()
    return (folder / "libdorm.so").resolve(), folder / "dorm"


def needed(library):
    """{soname: path} of the libraries, direct and indirect, that a system may lack."""
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", library), re.M))
    return {name: pathlib.Path(path).resolve() for name, path in found.items() if not OF_THE_SYSTEM.match(name)}


def licences_of(paths):
    """{path: copyright file} of libraries by their Debian packages, which may know /usr/lib as /lib."""
    names = {name: path for path in paths for name in (str(path), str(path).replace("/usr/lib", "/lib", 1))}
    found = subprocess.run(["dpkg", "-S", *names], capture_output=True, text=True, check=False).stdout
    files = {names[path]: pathlib.Path("/usr/share/doc", package, "copyright")
             for package, path in re.findall(r"^([^:\s]+):.* (/\S+)$", found, re.M)}
    return {path: file for path, file in files.items() if file.exists()}


def bundle(library, command, folder):
    """Copies the library, the command and what they need into a folder, libraries under a name with their hash, so that a
    process may hold other copies too. Returns the licences, {name: path}."""
    libraries = {**needed(library), **needed(command), "libdorm.so.0": library}
    names, licences, files = {}, {}, licences_of(libraries.values())
    for soname, path in libraries.items():
        stem, end = soname.split(".so", 1)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        names[soname] = f"{stem}-{digest}.so{end}"
        shutil.copyfile(path, folder / names[soname])
        if soname != "libdorm.so.0":
            if path not in files:
                raise SystemExit(f"{path} has no licence file here: build the wheel on Debian")
            licences[f"{stem}.txt"] = files[path]
    shutil.copyfile(command, folder / "dorm")
    for name in ("dorm", *names.values()):
        run("strip", "--strip-unneeded", folder / name)
        for old in run("patchelf", "--print-needed", folder / name).split():
            if old in names:  # one change a call: patchelf 0.14 confuses several
                run("patchelf", "--replace-needed", old, names[old], folder / name)
        if name != "dorm":
            run("patchelf", "--set-soname", name, folder / name)
        run("patchelf", "--set-rpath", "$ORIGIN", folder / name)
    shutil.copymode(command, folder / "dorm")  # ldd looks into what can run
    outside = [path for path in needed(folder / "dorm").values() if path.parent != folder.resolve()]
    if outside:
        raise SystemExit(f"libraries outside of the wheel are needed: {outside}")
    return licences


# ---- Archives ------------------------------------------------------------------------


class Wheel:
    """A wheel that is written file by file, with a record of hashes at its end. The same files give the same bytes."""

    def __init__(self, path):
        self._archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def add(self, name, content, mode=0o644):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self._archive.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}\n")

    def close(self, info):
        self._record.append(f"{info}/RECORD,,\n")
        self.add(f"{info}/RECORD", "".join(self._record).encode())
        self._archive.close()


def platform_tag(is_portable):
    machine = re.sub(r"[-.]", "_", sysconfig.get_platform())
    glibc = re.match(r"(\d+)\.(\d+)", platform.libc_ver()[1] or "")
    if is_portable and glibc:
        return f"manylinux_{glibc.group(1)}_{glibc.group(2)}_{platform.machine()}"
    return machine


def make_wheel(folder, build_folder):
    library, command = build(build_folder)
    is_portable = all(map(shutil.which, ("patchelf", "dpkg")))  # Debian has the licences of what is copied
    tag = f"py3-none-{platform_tag(is_portable)}"
    name = f"{STEM}-{version()}-{tag}.whl"
    info = f"{STEM}-{version()}.dist-info"
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        licences = {}
        if is_portable:
            licences = bundle(library, command, place)
        else:
            shutil.copyfile(library, place / "libdorm.so.0")
        wheel = Wheel(pathlib.Path(folder) / name)
        for path in sorted((HERE / "dorm").iterdir()):
            if path.suffix in (".py", ".typed"):
                wheel.add(f"dorm/{path.name}", path.read_bytes())
        for path in sorted(place.iterdir()):
            wheel.add(f"dorm/_lib/{path.name}", path.read_bytes(), 0o755 if path.name == "dorm" else 0o644)
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    for one, path in sorted(licences.items()):
        wheel.add(f"{info}/licences/{one}", path.read_bytes())
    wheel.add(f"{info}/METADATA", metadata().encode())
    if is_portable:
        wheel.add(f"{info}/entry_points.txt", b"[console_scripts]\ndorm = dorm.__main__:main\n")
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: dorm\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.close(info)
    return name


def make_sdist(folder, tarball):
    """The files of the tarball, in a folder of the name that pip expects, with PKG-INFO."""
    stem = f"{STEM}-{version()}"
    name = f"{stem}.tar.gz"
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with tarfile.open(tarball) as source, tarfile.open(pathlib.Path(folder) / name, "w:gz") as made:
        for member in source:
            content = source.extractfile(member) if member.isfile() else None
            member.name = "/".join([stem, *member.name.split("/")[1:]])
            made.addfile(member, content)
        about = tarfile.TarInfo(f"{stem}/PKG-INFO")
        content = metadata().encode()
        about.size = len(content)
        made.addfile(about, io.BytesIO(content))
    return name


# ---- What pip calls ------------------------------------------------------------------


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as folder:
        return make_wheel(wheel_directory, folder)


def build_sdist(sdist_directory, config_settings=None):
    with tempfile.TemporaryDirectory() as folder:
        if not (ROOT / "configure").exists():
            run("autoreconf", "-fi", folder=ROOT)
        run(ROOT / "configure", "--without-glpk", "--without-mpi", folder=folder)
        run("make", "dist", folder=folder)
        return make_sdist(sdist_directory, glob.glob(f"{folder}/dorm-*.tar.gz")[0])


if __name__ == "__main__":
    print({"wheel": make_wheel, "sdist": make_sdist}[sys.argv[1]](*sys.argv[2:4]))
