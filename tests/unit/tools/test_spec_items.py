from __future__ import annotations

from tools.spec_items import Item, items

TEXT = """\
# A contract

## 1. Conventions

### 1.1 Requests
- JSON in UTF-8, always. Over the limit:
  413. `X-Id` is echoed (ours).
- Wrong types are rejected.

| limit | value |
|---|---|
| body | 1 MB |
| page | 50 (max 200) |

```
code is no statement. Never.
```

### 1.2 Others
One sentence; `Another` one. See e.g. the third.
"""


def test_each_sentence_and_each_row_is_a_statement_of_its_section() -> None:
    assert list(items(TEXT)) == [
        Item("1.1", "JSON in UTF-8, always."),
        Item("1.1", "Over the limit: 413."),
        Item("1.1", "`X-Id` is echoed (ours)."),
        Item("1.1", "Wrong types are rejected."),
        Item("1.1", "body | 1 MB"),
        Item("1.1", "page | 50 (max 200)"),
        Item("1.2", "One sentence;"),
        Item("1.2", "`Another` one."),
        Item("1.2", "See e.g. the third."),
    ]
