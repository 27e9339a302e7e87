"""Expressions and conditions of the language: reading, checking, compiling to closures, printing as Python.

`analyse` gives a tree and its faults; `compile_condition` and `compile_expression` give functions that are called
often; nothing here raises on bad input. Spec: abl-language 6.
"""

from __future__ import annotations

from abl.expressions.analysis import analyse, parse_condition, parse_expression
from abl.expressions.assignments import Assignment, Assignments, parse_assignments
from abl.expressions.closures import Condition, compile_condition, compile_expression
from abl.expressions.environment import Environment
from abl.expressions.faults import Analysis, Fault
from abl.expressions.inspection import functions, variables, walk
from abl.expressions.library import FUNCTIONS
from abl.expressions.to_python import expression_to_python
from abl.expressions.tree import Node

__all__ = [
    "FUNCTIONS",
    "Analysis",
    "Assignment",
    "Assignments",
    "Condition",
    "Environment",
    "Fault",
    "Node",
    "analyse",
    "compile_condition",
    "compile_expression",
    "expression_to_python",
    "functions",
    "parse_assignments",
    "parse_condition",
    "parse_expression",
    "variables",
    "walk",
]
