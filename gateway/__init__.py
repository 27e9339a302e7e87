"""HTTP, SSE and WebSocket, and nothing else: who calls, what they ask of the runtime, how the answer is spelt."""
