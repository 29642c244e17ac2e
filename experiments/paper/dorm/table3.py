"""Table 3: expected rank utility of collaborative filtering.

needs: movielens
modules: scipy
minutes: 14
"""
import ratings_table

FORMS = [10, 20, 50, 0]
PAPER = {  # percent, and the error if the paper has one
    "DORM, experiment 1": (76.5, 0.43),
    "JRank, experiment 1": (75.3,),
    "PRank, experiment 1": (70.8,),
    "DORM, experiment 2": (76.7, 0.32),
    "JRank, experiment 2": (76.2,),
    "PRank, experiment 2": (73.4,),
}
ratings_table.run(
    "table3",
    "Table 3: expected rank utility",
    ["eru", "raw eru"],
    FORMS,
    {"eru": {name: [None, None, None, values] for name, values in PAPER.items()}},
)
