"""The Common Expression Language as Kubernetes speaks it: types checked first, then evaluated within a budget.

`program` compiles and evaluates expressions over `declarations`; nothing of that is loaded until somebody imports it,
because most schemas have no rules. Beside it are the parts of Go that schemas need as well: regular expressions, times,
addresses and URLs as it reads them.
"""
