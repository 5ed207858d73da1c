import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { folderInWorkspace } from '../../src/protocol/text/relativizePaths.ts';

const shop = { path: '/w/shop', name: 'shop' };
const cart = { path: '/w/shop/packages/cart', name: 'cart' };

describe('a folder in a workspace', () => {
  it('has no name where it is the only folder of the workspace', () => {
    assert.equal(folderInWorkspace('/w/shop', [shop]), null);
  });

  it('is relative to the workspace folder that holds it', () => {
    assert.equal(folderInWorkspace('/w/shop/src/ui', [shop]), 'src/ui');
    assert.equal(folderInWorkspace('C:\\shop\\src', [{ path: 'C:\\shop', name: 'shop' }]), 'src');
  });

  it('is named by the innermost workspace folder where there are several', () => {
    assert.equal(folderInWorkspace('/w/shop', [shop, cart]), 'shop');
    assert.equal(folderInWorkspace('/w/shop/packages/cart/src', [shop, cart]), 'cart/src');
  });

  it('keeps its path outside of the workspace', () => {
    assert.equal(folderInWorkspace('/w/shop-2', [shop]), '/w/shop-2');
    assert.equal(folderInWorkspace('/w', []), '/w');
  });
});
