import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeBrowser } from '../../../src/usecases/three-ds/browser.ts'
import type { CollectedBrowser } from '../../../src/usecases/three-ds/collected-browser.ts'
import type { SentBrowser } from '../../../src/usecases/three-ds/three-ds-request.ts'

const SENT: SentBrowser = {
  acceptHeader: '*/*',
  userAgent: 'Browser',
  language: 'de',
  javaEnabled: null,
  javascriptEnabled: null,
  colorDepth: null,
  screenHeight: null,
  screenWidth: null,
  timeZone: null,
  ip: '',
}
const COLLECTED: CollectedBrowser = {
  language: 'en',
  javaEnabled: false,
  colorDepth: 24,
  screenHeight: 800,
  screenWidth: 600,
  timeZone: -60,
}

test('values of the merchant override those of the page, and the page supplies the rest', () => {
  const browser = describeBrowser({ ...SENT, screenHeight: 900, javaEnabled: true }, COLLECTED)
  assert.deepEqual(
    [
      browser.screenHeight,
      browser.screenWidth,
      browser.javaEnabled,
      browser.colorDepth,
      browser.language,
    ],
    [900, 600, true, 24, 'de'],
  )
})

for (const [sent, collected, expected] of [
  [60, -60, -60],
  [60, 60, 60],
  [300, -60, 300],
  [null, -60, -60],
  [60, null, 60],
] as const) {
  test(`a sent time zone ${sent} and a found one ${collected} give ${expected}`, () => {
    const found = collected === null ? null : { ...COLLECTED, timeZone: collected }
    assert.equal(describeBrowser({ ...SENT, timeZone: sent }, found).timeZone, expected)
  })
}

test('JavaScript ran where the page found something, and is unknown to have run elsewhere', () => {
  assert.equal(describeBrowser(SENT, COLLECTED).javascriptEnabled, true)
  assert.equal(describeBrowser(SENT, null).javascriptEnabled, false)
  assert.equal(
    describeBrowser({ ...SENT, javascriptEnabled: false }, COLLECTED).javascriptEnabled,
    false,
  )
})
