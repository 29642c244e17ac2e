"""Table 4: NDCG of collaborative filtering.

needs: movielens
modules: scipy
"""
import ratings_table

ratings_table.run("table4", "Table 4: NDCG", ["ndcg@10", "ndcg"], [10, 20, 50])
