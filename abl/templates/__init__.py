"""Templates in texts: `{{ expression | filter }}`, `{{#each}}`, `{{#if}}`; read once, rendered often.

Spec: abl-language 6.8.
"""

from __future__ import annotations

from abl.expressions.interpolation import FILTERS
from abl.templates.braces import interpolate_braces
from abl.templates.read import TemplateAnalysis, analyse_template
from abl.templates.render import CompiledTemplate, compile_template, render_template

__all__ = [
    "FILTERS",
    "CompiledTemplate",
    "TemplateAnalysis",
    "analyse_template",
    "compile_template",
    "interpolate_braces",
    "render_template",
]
