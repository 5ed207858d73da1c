import { expect, test } from 'vitest';
import { secretsInSettings } from '../../../src/core/model/providerSecrets.ts';

test('a key in a header from the environment is a secret, and a title is none', () => {
  const provider = {
    baseUrl: 'https://models.example.com/v1',
    wireApi: 'chat' as const,
    headers: { 'X-Api-Key': 'in-the-settings' },
    envHeaders: { Authorization: 'GATEWAY', 'X-Title': 'TITLE', Cookie: 'NOT_SET' },
  };
  const environment = { GATEWAY: 'Bearer of-the-environment', TITLE: 'My Team', UNUSED: 'other' };
  const secrets = secretsInSettings({ providers: { provider }, baseUrl: null }, environment);
  expect(secrets).toEqual(['in-the-settings', 'of-the-environment']);
});
