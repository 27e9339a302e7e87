"""The compiler: documents to IR, driven by the property rows of the document classes. Spec: abl-language 12."""

from abl.compiler.options import CompileOptions
from abl.compiler.places import Place, Places, Unit, locate
from abl.compiler.project import Compilation, add_findings, compile_documents

__all__ = ["Compilation", "CompileOptions", "Place", "Places", "Unit", "add_findings", "compile_documents", "locate"]
