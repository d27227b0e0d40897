curl https://openrouter.ai/api/v1/chat/completions \
  -H "Authorization: Bearer $OPENROUTER_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{
  "model": "anthropic/claude-opus-5",
  "messages": [
    {
      "role": "system",
      "content": "You produce output for a program, not for a person. When given an output contract, follow it exactly. Nothing may follow the terminator."
    },
    {
      "role": "user",
      "content": "Summarise the paragraph below in a single sentence.\n\nThen, on a new line, output exactly this terminator:\n\n<<END>>\n\nWrite nothing after the terminator. Do not repeat it. Do not add a closing remark,\nan offer to help further, or any explanation of what you did.\n\nPARAGRAPH\nThe migration ran for six hours against the replica before anyone noticed that the\nreplica had been promoted the previous week, which meant the whole rehearsal had been\nexecuted against production data with the safety checks disabled. No rows were lost,\nbecause the script only ever wrote to a shadow table, but the incident review changed\nthe team'\''s rule from \"rehearse on the replica\" to \"rehearse on a snapshot restored to\na named host\", since a replica'\''s role can change without anyone touching the runbook."
    }
  ],
  "max_tokens": 1400,
  "temperature": 0
}'