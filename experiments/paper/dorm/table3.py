"""Table 3: expected rank utility of collaborative filtering.

needs: movielens
modules: scipy
"""
import ratings_table

ratings_table.run("table3", "Table 3: expected rank utility", ["eru", "raw eru"], [10, 20, 50, 0])
