"""`abl doctor`: what keeps an installation from working, each finding with the command or setting that mends it.

`faults` holds the form of a finding; `machine`, `settings`, `stores`, `models` and `project` look, each at one thing;
`report` runs them all and prints. A look never changes anything and needs no package that it says is missing.
"""
