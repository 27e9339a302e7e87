"""What stored values have in common, so that it is not stored again with each: the dictionaries of storage.frames.

A dictionary never changes, for what was squeezed with it needs it to be read; a better one is another form.
"""

from __future__ import annotations

FORM_1 = (
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
FORM_2 = (  # what is most frequent stands last: facts, then events, then states
    b'"rich_content":"richContent":"actions":"voiceConfig":"error":{"code":"","message":"","retryable":false,"hand'
    b'led":true,"origin":"tool""guardrail_eval","guardrail":"","stage":"input","result":"pass","action":"none","se'
    b'verity":""handoff","fromAgent":"","toAgent":"","reason":"","returnExpected":false,"context":{"direction":"fo'
    b'rward""delegate","task":"","duration_ms":,"success":true,"tool_call","toolCallId":"","toolName":"","toolType'
    b'":"http","parameters":{"mocked":false,"async":false"tool_result","result":{"latencyMs":0,"resultSizeBytes":,'
    b'"attempts":1"llm_call","model":"","provider":"","usage":{"inputTokens":1,"outputTokens":1},"latencyMs":0,"ti'
    b'meToFirstTokenMs":,"finishReason":"stop","operationType":"response_gen","streamingUsed":false,"toolCallCount'
    b'":0,"retryAttempt":0,"prompt":[{"role":"system","content":"","response":"{"type":"ModelAnswered","reply":{"t'
    b'ext":"","usage":{"input_tokens":1,"output_tokens":1},"tool_calls":[{"id":"","name":"","arguments":{"model":"'
    b'","provider":"","latency_ms":1}{"type":"ToolReturned","effect_id":"1.1","result":{"ok":true,"value":{"durati'
    b'on_ms":1},"last_seq":1,"messages":2,"traces":5,"last":{"m":"msg_c","n":1,"q":1,"r":"","a":{"type":"respond"}'
    b',"g":"","s":{"currentStep":"","sh":[0,0,"ft":1,"t":5}{"engine":"1","state":{"begun":{"type":"SessionBegun","'
    b'session_id":"sess_c","project_id":"c","tenant_id":"ten_default","agent":"","has_model":false},"active":"","t'
    b'hreads":{"":{"agent":"","status":"active","variables":{"gathered":{"messages":["step":"","awaiting":"input",'
    b'"attempts":{"trail":["","counters":{"runs":1}}},"turn":{"number":1,"text":"","message_id":"msg_c","is_consum'
    b'ed":true,"is_branched":true,"says":[""],"last_action":{"type":"respond"},"changed":{"flow_iterations":2,"age'
    b'nt":""},"transcript":[{"role":"user","content":"","agent":"","turn":1},{"role":"assistant","content":""inten'
    b't":{"category":"unclear","confidence":0.0,"unclear":true},"sentiment":{"label":"neutral"},"last_input":"","u'
    b'ser_turns":1,"turn_number":1,"count":7,"trace_count":1},null,{"text":"","turn-1",null,{"key":"","oldValue":n'
    b'ull,"newValue":"","scope":"session","source":"set","step":"",null,{"decisionKind":"flow_transition","decisio'
    b'n":"","condition":"input ELSE","outcome":"entered","matched":true,"reasoning":""}],[1,1,"response","[[1,1,"s'
    b'tate_change","[1,1,"decision","2026-11-21T10:29:38.9{"engine":"1","fact":{"type":"UserSpoke","at":"2026-11-2'
    b'1T10:29:38.9Z","text":"","message_id":"msg_c"},"asked":{"1.1":"","1.2":"","1.3":"","1.4":"","1.5":"","1.6":"'
    b'","1.7":""},"opens":{"kind":"user","message_id":"msg_c"}}'
)
