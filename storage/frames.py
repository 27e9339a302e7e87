"""How facts, events, states and replies stand in the database: packed together, and squeezed.

A value begins with one byte for its form. Form 1 is raw deflate with a dictionary of what such values have in common;
the dictionary never changes, a better one is another form.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence

import msgspec

from domain.errors import Unavailable

BLOB_MIN_BYTES = 32_768
"""From this size on, the facts of an append stand in `journal_blobs`, once per content."""
SQUEEZE_MIN_BYTES = 96
PLAIN = b"\x00"
DEFLATED = b"\x01"
WINDOW_BITS = 12  # small tables: 5 to 12 us for 1 KB, where the usual ones cost 90 us
MEMORY_LEVEL = 5
LEVEL = 1
READ_WINDOW_BITS = 15

_DICTIONARY = (
    b'"rich_content":null,"actions":null,"voice_config":null,"repeated":false,"first_seq":,"last_seq":"agent_name":"",'
    b'"action":{"type":"respond"},"state":{"currentStep":"","response":","session_id":"sess_","trace_events":['
    b'"project_id":"c","tenant_id":"ten_","has_model":false,"usage":{"inputTokens":,"outputTokens":"finishReason":"stop"'
    b'"model":"","provider":"","latencyMs":,"timeToFirstTokenMs":,"operationType":"response_gen","streamingUsed":true'
    b'"prompt":[{"role":"system","content":"{"role":"user","content":"{"role":"assistant","content":"'
    b'"toolCallId":"","toolName":"","toolType":"http","parameters":{"success":true,"result":{"attempts":1'
    b'"scope":"session","source":"set","oldValue":null,"newValue":"guardrail":"","stage":"input","result":"pass"'
    b'{"engine":"1","fact":{"type":"ModelAnswered","tool_calls":[],"type":"ToolReturned","effect_id":"1.1","ok":true,'
    b'"value":{"duration_ms":"type":"MemoryRead","type":"SessionBegun","at":"2026-11-21T09:55:32.729Z","text":"'
    b'","message_id":"msg_c"},"asked":{"1.1":"","1.2":"","1.3":""},"opens":{"kind":"user","number":1,"message_id":"msg_c'
    b'","key":"","request_hash":"{"id":"evt_c_1","sessionId":"sess_c","type":"response","data":{"text":"type":"llm_call"'
    b',"type":"state_change","type":"tool_call","type":"tool_result","type":"decision","timestamp":"2026-11-21T09:55:3'
    b'2.729Z","agentName":"","turn":1,"seq":1,"spanId":"1.1","data":{"decisionKind":"flow_transition","decision":"welcome",'
    b'"outcome":"entered","matched":true,"condition":"ELSE","reasoning":""},"parentSpanId":"turn-1"}'
)
_EMPTY = zlib.compressobj(LEVEL, zlib.DEFLATED, -WINDOW_BITS, MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[bytes])


def pack(facts: Sequence[bytes]) -> bytes:
    """Return facts as one squeezed value."""
    return squeeze(_ENCODER.encode(facts))


def unpack(packed: bytes) -> list[bytes]:
    """Return the facts of a value that `pack` made."""
    return _DECODER.decode(expand(packed))


def squeeze(value: bytes) -> bytes:
    """Return the value in fewer bytes where that is worth it. The same value always gives the same bytes."""
    if len(value) < SQUEEZE_MIN_BYTES:
        return PLAIN + value
    squeezer = _EMPTY.copy()
    return DEFLATED + squeezer.compress(value) + squeezer.flush()


def expand(squeezed: bytes) -> bytes:
    """Return the value that `squeeze` was given.

    Raises:
        Unavailable: It was written by a newer version.
    """
    form, rest = squeezed[:1], squeezed[1:]
    if form == PLAIN:
        return rest
    if form == DEFLATED:
        return zlib.decompressobj(-READ_WINDOW_BITS, _DICTIONARY).decompress(rest)
    raise Unavailable(f"A stored value has the form {form.hex()}, which a newer version has written.")


def content_hash(content: bytes) -> bytes:
    """Return the name under which a large value is kept."""
    return hashlib.sha256(content).digest()
