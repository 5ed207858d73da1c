import { expect, it } from 'vitest';
import { parseSettings } from '../../src/protocol/settings.ts';
import { issueReport } from '../../src/vscode/support/issueReport.ts';

const parsed = parseSettings({
  model: 'qwen3',
  baseUrl: 'https://user:hunter22@models.example.com/v1/tenant-4711?key=abcdefghij',
  userInstructions: 'Call me Zaphod.',
  providers: {
    own: {
      baseUrl: 'https://own.example.com/secret-path/v1',
      headers: { 'x-title': 'Anything at all', authorization: 'Bearer plain-words' },
      queryParams: { 'api-version': '2026-01-01' },
    },
  },
  environment: { set: { DATABASE_URL: 'postgres://me:pw@db' } },
});

it('an issue report has the settings that differ from their defaults, and no value that may be a secret', () => {
  if (parsed.type !== 'settings') throw new Error(parsed.message);
  const report = issueReport(
    { environment: [['Tiller', '1.2.3']], settings: parsed.settings, log: ['line with sk-0123456789', 'a ``` fence'] },
    (text) => text.replaceAll('sk-0123456789', '[hidden]'),
  );
  expect(report).toMatchInlineSnapshot(`
    "## What happened, and what did you expect?


    ## Steps to reproduce

    1. 

    ## Environment

    - Tiller: 1.2.3

    ## Settings that differ from their defaults

    \`\`\`json
    {
      "model": "qwen3",
      "providers": {
        "own": {
          "baseUrl": "https://own.example.com",
          "wireApi": "responses",
          "headers": {
            "x-title": "[left out]",
            "authorization": "[left out]"
          },
          "queryParams": {
            "api-version": "[left out]"
          }
        }
      },
      "baseUrl": "https://models.example.com",
      "environment": {
        "inherit": "all",
        "keep": [],
        "exclude": [],
        "set": {
          "DATABASE_URL": "[left out]"
        },
        "includeOnly": []
      },
      "userInstructions": "[left out]"
    }
    \`\`\`

    ## The last 2 lines of the log

    \`\`\`
    line with [hidden]
    a ''' fence
    \`\`\`
    "
  `);
  for (const secret of ['hunter22', '4711', 'abcdefghij', 'Zaphod', 'secret-path', 'plain-words', 'pw@db', 'sk-0']) {
    expect(report).not.toContain(secret);
  }
});

it('an issue report has no settings when all have their defaults', () => {
  const defaults = parseSettings({});
  if (defaults.type !== 'settings') throw new Error(defaults.message);
  const report = issueReport({ environment: [], settings: defaults.settings, log: [] }, (text) => text);
  expect(report).toContain('```json\n{}\n```');
});
