// What the contract says of this package, for the compiler. Made by tools/generate_web_contract.py; do not edit.
import type * as sdk from "../src/index.ts";
import type * as react from "../src/react/index.ts";
import type { Gives, Has, Holds, Is, Tells } from "./promises.ts";

export type Contract = [
  // Message.id
  Holds<Has<sdk.Message, "id">>,
  // Message.role
  Holds<Has<sdk.Message, "role">>,
  // Message.content
  Holds<Has<sdk.Message, "content">>,
  // Message.timestamp
  Holds<Has<sdk.Message, "timestamp">>,
  // Message.metadata
  Holds<Has<sdk.Message, "metadata">>,
  // Message.richContent
  Holds<Has<sdk.Message, "richContent">>,
  // Message.actions
  Holds<Has<sdk.Message, "actions">>,
  // Message.attachments
  Holds<Has<sdk.Message, "attachments">>,
  // RichContent.markdown
  Holds<Has<sdk.RichContent, "markdown">>,
  // RichContent.adaptive_card
  Holds<Has<sdk.RichContent, "adaptive_card">>,
  // RichContent.html
  Holds<Has<sdk.RichContent, "html">>,
  // RichContent.slack
  Holds<Has<sdk.RichContent, "slack">>,
  // RichContent.ag_ui
  Holds<Has<sdk.RichContent, "ag_ui">>,
  // RichContent.whatsapp
  Holds<Has<sdk.RichContent, "whatsapp">>,
  // ActionSet.elements
  Holds<Has<sdk.ActionSet, "elements">>,
  // ActionSet.submit_label
  Holds<Has<sdk.ActionSet, "submit_label">>,
  // ActionSet.submit_id
  Holds<Has<sdk.ActionSet, "submit_id">>,
  // ActionElement.id
  Holds<Has<sdk.ActionElement, "id">>,
  // ActionElement.type
  Holds<Has<sdk.ActionElement, "type">>,
  // ActionElement.label
  Holds<Has<sdk.ActionElement, "label">>,
  // ActionElement.value
  Holds<Has<sdk.ActionElement, "value">>,
  // ActionElement.description
  Holds<Has<sdk.ActionElement, "description">>,
  // ActionElement.options
  Holds<Has<sdk.ActionElement, "options">>,
  // ActionElement.input_type
  Holds<Has<sdk.ActionElement, "input_type">>,
  // ActionElement.placeholder
  Holds<Has<sdk.ActionElement, "placeholder">>,
  // ActionElement.required
  Holds<Has<sdk.ActionElement, "required">>,
  // AttachmentRef.id
  Holds<Has<sdk.AttachmentRef, "id">>,
  // AttachmentRef.filename
  Holds<Has<sdk.AttachmentRef, "filename">>,
  // AttachmentRef.mimeType
  Holds<Has<sdk.AttachmentRef, "mimeType">>,
  // AttachmentRef.sizeBytes
  Holds<Has<sdk.AttachmentRef, "sizeBytes">>,
  // AttachmentRef.category
  Holds<Has<sdk.AttachmentRef, "category">>,
  // VoiceInfo.state
  Holds<Has<sdk.VoiceInfo, "state">>,
  // VoiceInfo.isMuted
  Holds<Has<sdk.VoiceInfo, "isMuted">>,
  // VoiceInfo.currentTranscript
  Holds<Has<sdk.VoiceInfo, "currentTranscript">>,
  // VoiceInfo.hasMicPermission
  Holds<Has<sdk.VoiceInfo, "hasMicPermission">>,
  // WidgetTheme.primaryColor
  Holds<Has<sdk.WidgetTheme, "primaryColor">>,
  // WidgetTheme.textColor
  Holds<Has<sdk.WidgetTheme, "textColor">>,
  // WidgetTheme.backgroundColor
  Holds<Has<sdk.WidgetTheme, "backgroundColor">>,
  // WidgetTheme.borderRadius
  Holds<Has<sdk.WidgetTheme, "borderRadius">>,
  // WidgetTheme.fontFamily
  Holds<Has<sdk.WidgetTheme, "fontFamily">>,
  // WidgetTheme.darkMode
  Holds<Has<sdk.WidgetTheme, "darkMode">>,
  // AgentSDK.connect
  Holds<Gives<sdk.AgentSDK, "connect", Promise<void>>>,
  // AgentSDK.disconnect
  Holds<Gives<sdk.AgentSDK, "disconnect", void>>,
  // AgentSDK.chat
  Holds<Gives<sdk.AgentSDK, "chat", sdk.ChatClient>>,
  // AgentSDK.voice
  Holds<Gives<sdk.AgentSDK, "voice", sdk.VoiceClient>>,
  // AgentSDK.isConnected
  Holds<Gives<sdk.AgentSDK, "isConnected", boolean>>,
  // AgentSDK.getSessionId
  Holds<Gives<sdk.AgentSDK, "getSessionId", string | null>>,
  // AgentSDK.init
  Holds<Gives<typeof sdk.AgentSDK, "init", sdk.AgentSDK>>,
  // AgentSDK.on
  Holds<Has<sdk.AgentSDK, "on">>,
  // AgentSDK.once
  Holds<Has<sdk.AgentSDK, "once">>,
  // AgentSDK.off
  Holds<Has<sdk.AgentSDK, "off">>,
  // AgentSDK.removeAllListeners
  Holds<Has<sdk.AgentSDK, "removeAllListeners">>,
  // AgentSDK option projectId
  Holds<Has<sdk.AgentConfig, "projectId">>,
  // AgentSDK option apiKey
  Holds<Has<sdk.AgentConfig, "apiKey">>,
  // AgentSDK option endpoint
  Holds<Has<sdk.AgentConfig, "endpoint">>,
  // AgentSDK option debug
  Holds<Has<sdk.AgentConfig, "debug">>,
  // ChatClient.send
  Holds<Gives<sdk.ChatClient, "send", Promise<string>>>,
  // ChatClient.uploadAttachment
  Holds<Gives<sdk.ChatClient, "uploadAttachment", Promise<string>>>,
  // ChatClient.getMessages
  Holds<Gives<sdk.ChatClient, "getMessages", sdk.Message[]>>,
  // ChatClient.getIsTyping
  Holds<Gives<sdk.ChatClient, "getIsTyping", boolean>>,
  // ChatClient.clearMessages
  Holds<Gives<sdk.ChatClient, "clearMessages", void>>,
  // ChatClient.on
  Holds<Has<sdk.ChatClient, "on">>,
  // ChatClient.once
  Holds<Has<sdk.ChatClient, "once">>,
  // ChatClient.off
  Holds<Has<sdk.ChatClient, "off">>,
  // ChatClient.removeAllListeners
  Holds<Has<sdk.ChatClient, "removeAllListeners">>,
  // ChatClient option attachmentIds
  Holds<Has<sdk.SendOptions, "attachmentIds">>,
  // ChatClient option metadata
  Holds<Has<sdk.SendOptions, "metadata">>,
  // VoiceClient.start
  Holds<Gives<sdk.VoiceClient, "start", Promise<void>>>,
  // VoiceClient.stop
  Holds<Gives<sdk.VoiceClient, "stop", void>>,
  // VoiceClient.toggleMute
  Holds<Gives<sdk.VoiceClient, "toggleMute", boolean>>,
  // VoiceClient.getState
  Holds<Gives<sdk.VoiceClient, "getState", sdk.VoiceState>>,
  // VoiceClient.getInfo
  Holds<Gives<sdk.VoiceClient, "getInfo", sdk.VoiceInfo>>,
  // VoiceClient.isSupported
  Holds<Gives<typeof sdk.VoiceClient, "isSupported", boolean>>,
  // VoiceClient.on
  Holds<Has<sdk.VoiceClient, "on">>,
  // VoiceClient.once
  Holds<Has<sdk.VoiceClient, "once">>,
  // VoiceClient.off
  Holds<Has<sdk.VoiceClient, "off">>,
  // VoiceClient.removeAllListeners
  Holds<Has<sdk.VoiceClient, "removeAllListeners">>,
  // VoiceClient option enableBargeIn
  Holds<Has<sdk.VoiceOptions, "enableBargeIn">>,
  // VoiceClient option sampleRate
  Holds<Has<sdk.VoiceOptions, "sampleRate">>,
  // VoiceClient option deviceId
  Holds<Has<sdk.VoiceOptions, "deviceId">>,
  // VoiceClient option vadConfig
  Holds<Has<sdk.VoiceOptions, "vadConfig">>,
  // VoiceClient option positiveSpeechThreshold
  Holds<Has<sdk.VadConfig, "positiveSpeechThreshold">>,
  // VoiceClient option negativeSpeechThreshold
  Holds<Has<sdk.VadConfig, "negativeSpeechThreshold">>,
  // VoiceClient option redemptionMs
  Holds<Has<sdk.VadConfig, "redemptionMs">>,
  // VoiceClient option minSpeechMs
  Holds<Has<sdk.VadConfig, "minSpeechMs">>,
  // VoiceClient option preSpeechPadMs
  Holds<Has<sdk.VadConfig, "preSpeechPadMs">>,
  // AgentProvider
  Holds<Has<typeof react, "AgentProvider">>,
  // AgentProvider.projectId
  Holds<Has<react.AgentProviderProps, "projectId">>,
  // AgentProvider.apiKey
  Holds<Has<react.AgentProviderProps, "apiKey">>,
  // AgentProvider.endpoint
  Holds<Has<react.AgentProviderProps, "endpoint">>,
  // AgentProvider.debug
  Holds<Has<react.AgentProviderProps, "debug">>,
  // useAgent
  Holds<Has<typeof react, "useAgent">>,
  // useAgent.sdk
  Holds<Has<react.UseAgent, "sdk">>,
  // useAgent.isConnected
  Holds<Has<react.UseAgent, "isConnected">>,
  // useAgent.sessionId
  Holds<Has<react.UseAgent, "sessionId">>,
  // useAgent.error
  Holds<Has<react.UseAgent, "error">>,
  // useAgent.chat
  Holds<Has<react.UseAgent, "chat">>,
  // useAgent.messages
  Holds<Has<react.UseAgent, "messages">>,
  // useAgent.isTyping
  Holds<Has<react.UseAgent, "isTyping">>,
  // useAgent.sendMessage
  Holds<Has<react.UseAgent, "sendMessage">>,
  // useAgent.voice
  Holds<Has<react.UseAgent, "voice">>,
  // useAgent.voiceState
  Holds<Has<react.UseAgent, "voiceState">>,
  // useAgent.startVoice
  Holds<Has<react.UseAgent, "startVoice">>,
  // useAgent.stopVoice
  Holds<Has<react.UseAgent, "stopVoice">>,
  // useAgent.toggleMute
  Holds<Has<react.UseAgent, "toggleMute">>,
  // useAgent.isMuted
  Holds<Has<react.UseAgent, "isMuted">>,
  // useChat
  Holds<Has<typeof react, "useChat">>,
  // useChat.messages
  Holds<Has<react.UseChat, "messages">>,
  // useChat.isTyping
  Holds<Has<react.UseChat, "isTyping">>,
  // useChat.sendMessage
  Holds<Has<react.UseChat, "sendMessage">>,
  // useChat.isConnected
  Holds<Has<react.UseChat, "isConnected">>,
  // useVoice
  Holds<Has<typeof react, "useVoice">>,
  // useVoice.voiceState
  Holds<Has<react.UseVoice, "voiceState">>,
  // useVoice.startVoice
  Holds<Has<react.UseVoice, "startVoice">>,
  // useVoice.stopVoice
  Holds<Has<react.UseVoice, "stopVoice">>,
  // useVoice.toggleMute
  Holds<Has<react.UseVoice, "toggleMute">>,
  // useVoice.isMuted
  Holds<Has<react.UseVoice, "isMuted">>,
  // useVoice.isConnected
  Holds<Has<react.UseVoice, "isConnected">>,
  // AgentSDK event connected
  Holds<Is<sdk.AgentEvents["connected"], undefined>>,
  // AgentSDK event disconnected
  Holds<Is<sdk.AgentEvents["disconnected"], undefined>>,
  // AgentSDK event error
  Holds<Tells<sdk.AgentEvents, "error", "error">>,
  // AgentSDK event sessionStart
  Holds<Tells<sdk.AgentEvents, "sessionStart", "sessionId">>,
  // AgentSDK event sessionEnd
  Holds<Is<sdk.AgentEvents["sessionEnd"], undefined>>,
  // ChatClient event message
  Holds<Is<sdk.ChatEvents["message"], sdk.Message>>,
  // ChatClient event messageChunk
  Holds<Tells<sdk.ChatEvents, "messageChunk", "messageId" | "chunk">>,
  // ChatClient event typing
  Holds<Tells<sdk.ChatEvents, "typing", "isTyping">>,
  // ChatClient event messageSent
  Holds<Tells<sdk.ChatEvents, "messageSent", "messageId">>,
  // ChatClient event attachmentUploaded
  Holds<Tells<sdk.ChatEvents, "attachmentUploaded", "attachmentId" | "filename">>,
  // ChatClient event attachmentError
  Holds<Tells<sdk.ChatEvents, "attachmentError", "filename" | "error">>,
  // ChatClient event error
  Holds<Tells<sdk.ChatEvents, "error", "error">>,
  // VoiceClient event stateChange
  Holds<Tells<sdk.VoiceEvents, "stateChange", "state" | "previousState">>,
  // VoiceClient event transcription
  Holds<Tells<sdk.VoiceEvents, "transcription", "text" | "isFinal" | "confidence">>,
  // VoiceClient event transcriptionFinal
  Holds<Tells<sdk.VoiceEvents, "transcriptionFinal", "text" | "confidence">>,
  // VoiceClient event responseStart
  Holds<Tells<sdk.VoiceEvents, "responseStart", "messageId">>,
  // VoiceClient event responseChunk
  Holds<Tells<sdk.VoiceEvents, "responseChunk", "messageId" | "text">>,
  // VoiceClient event responseEnd
  Holds<Tells<sdk.VoiceEvents, "responseEnd", "messageId" | "text">>,
  // VoiceClient event speaking
  Holds<Tells<sdk.VoiceEvents, "speaking", "isSpeaking">>,
  // VoiceClient event volumeChange
  Holds<Tells<sdk.VoiceEvents, "volumeChange", "level">>,
  // VoiceClient event ready
  Holds<Is<sdk.VoiceEvents["ready"], undefined>>,
  // VoiceClient event error
  Holds<Tells<sdk.VoiceEvents, "error", "error">>,
  // VoiceClient event micPermissionDenied
  Holds<Is<sdk.VoiceEvents["micPermissionDenied"], undefined>>,
  // VoiceClient event bargeIn
  Holds<Is<sdk.VoiceEvents["bargeIn"], undefined>>,
  // VoiceClient event vadAvailable
  Holds<Tells<sdk.VoiceEvents, "vadAvailable", "available">>,
];
