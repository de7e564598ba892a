// How each host is configured for the model, and how it is asked a question without a person at the keyboard. The
// caller configures Ladder: by a token (run.mjs) or by an address (connect.mjs).
//   file      the settings that name the model, and the location for the server's settings
//   ask       the words of its command
//   env       variables that it needs besides HOME and PATH
import {join} from 'node:path';

export function hostsWith(model, home) {
  return {
    claude: {
      file: null,
      ask: (prompt) => ['-p', prompt, '--allowedTools', 'mcp__ladder', 'mcp__ladder-http'],
      env: {CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ANTHROPIC_BASE_URL: model.url, ANTHROPIC_AUTH_TOKEN: 'none'},
    },
    codex: {
      file: (tables) => ['.codex/config.toml', [
        'model = "gpt-5.5"', 'model_provider = "own"', '[model_providers.own]', 'name = "own"', `base_url = "${model.url}/v1"`,
        'wire_api = "responses"', 'requires_openai_auth = false', tables, ''
      ].join('\n')],
      ask: (prompt) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
      env: {},
    },
    opencode: {
      file: (server) => ['.config/opencode/opencode.jsonc', {
        ...server,
        provider:
            {own: {npm: '@ai-sdk/openai-compatible', options: {baseURL: `${model.url}/v1`, apiKey: 'none'}, models: {small: {}}}},
        model: 'own/small',
        small_model: 'own/small',
      }],
      ask: (prompt) => ['run', prompt],
      env: {OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1'},
    },
    gemini: {
      file: (server) => ['.gemini/settings.json', {
        ...server,
        security: {auth: {selectedType: 'gemini-api-key'}, folderTrust: {enabled: false}},
        privacy: {usageStatisticsEnabled: false},
        general: {enableAutoUpdate: false},
      }],
      // Names the model; otherwise the host asks the model which one to use.
      ask: (prompt) => ['-m', 'gemini-2.5-pro', '-p', prompt, '--yolo', '--skip-trust'],
      env: {GOOGLE_GEMINI_BASE_URL: model.url, GEMINI_API_KEY: 'none', GEMINI_CLI_NO_RELAUNCH: 'true'},
    },
    qwen: {
      file: (server) => ['.qwen/settings.json', {
        ...server,
        tools: {truncateToolOutputThreshold: 60000},  // as in docs/reference/mcp.md
        security: {auth: {selectedType: 'openai'}, folderTrust: {enabled: false}},
        privacy: {usageStatisticsEnabled: false},
        general: {enableAutoUpdate: false},
      }],
      ask: (prompt) => ['-p', prompt, '--yolo'],
      env: {OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'small', QWEN_CODE_NO_RELAUNCH: 'true'},
    },
    cn: {
      file: (servers) => ['.continue/config.yaml', [
        'name: own', 'version: 1.0.0', 'schema: v1', 'models:', '  - name: small', '    provider: openai', '    model: small',
        `    apiBase: ${model.url}/v1`, '    apiKey: none', '    roles: [chat]', '    capabilities: [tool_use]', servers
      ].join('\n')],
      ask: (prompt) => ['--config', join(home, '.continue/config.yaml'), '-p', prompt, '--auto'],
      env: {},
    },
  };
}
