"""Figure 6: WTA and modified WTA against the number of training queries.

needs: mq2008
minutes: 11
"""
import curve_study

curve_study.run(
    "figure6",
    "Figure 6",
    [("wta", "WTA", "wta"), ("mwta", "mWTA", "mwta")],
    "its Figure 6 is drawn without printed numbers",
    "dorm",
    claimants=("dorm-wta", "dorm-mwta", "dorm-listed-wta", "dorm-listed-mwta"),
)
