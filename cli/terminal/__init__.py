"""What a conversation looks like in a terminal: lines in and out, rich content as text, buttons as numbered choices."""
