import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { root } from './source-text.ts'

const BODY = '\n\nA crash between the two steps left the order locked.\n'

interface Rules {
  readonly faultsOfMessage: (text: string) => string[]
}
const rules = join(root, 'scripts', 'commit-message.mjs')
const { faultsOfMessage } = (await import(rules)) as Rules

suite('messages of commits', () => {
  const good = [
    `payments: release the lock before the bank is asked${BODY}`,
    `three-ds: refuse a result for another card${BODY}`,
    `hosted fields: bring back the focus${BODY}`,
    `house: need a body${BODY}`,
    `vault: pass over rows that a payment holds${BODY}`,
    `docs: focus on operators${BODY}Signed-off-by: A. PortalUserSummary <a@example.com>\n`,
    `docs: say which suites are offered${BODY}# Please enter the commit message\n`,
    `docs: say more${BODY}# ------------------------ >8 ------------------------\ndiff --git`,
    "Merge branch 'other' into main\n",
    'fixup! payments: release the lock before the bank is asked\n',
    'Revert "payments: release the lock"\n',
  ]
  for (const message of good) {
    test(`nothing is wrong with: ${message.split('\n')[0]} (${message.length})`, () => {
      assert.deepEqual(faultsOfMessage(message), [])
    })
  }

  const bad: readonly (readonly [message: string, fault: RegExp])[] = [
    [`Release the lock before the bank is asked${BODY}`, /area: what changes/],
    [`Payments: release the lock${BODY}`, /area: what changes/],
    [`payments:release the lock${BODY}`, /area: what changes/],
    [`payments: released the lock${BODY}`, /imperative/],
    [`payments: releases the lock${BODY}`, /imperative/],
    [`payments: releasing the lock${BODY}`, /imperative/],
    [`payments: nobody waits for the lock${BODY}`, /imperative/],
    [`payments: the lock is released${BODY}`, /imperative/],
    [`payments: one lock for all${BODY}`, /imperative/],
    [`payments: Release the lock${BODY}`, /imperative/],
    [`payments: release the lock.${BODY}`, /stop/],
    [`payments: release ${'x'.repeat(60)}${BODY}`, /has 78 characters/],
    [`payments: report that nobody holds the lock${BODY}`, /Instead of "nobody", write: the noun/],
    [`payments: give back what is held${BODY}`, /Instead of "give back"/],
    ['payments: release the lock\nA crash left the order locked.\n', /second line/],
    ['payments: release the lock\n', /no body/],
    [
      'payments: release the lock\n\nSigned-off-by: A. PortalUserSummary <a@example.com>\n',
      /no body/,
    ],
    ['payments: release the lock\n\n# Please enter the commit message\n', /no body/],
  ]
  for (const [message, fault] of bad) {
    test(`the guard bites: ${JSON.stringify(message.slice(0, 70))}`, () => {
      assert.match(faultsOfMessage(message).join('\n'), fault)
    })
  }
})

test('the hook stops a commit with a bad message, and only that', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-message-'))
  try {
    const hook = (message: string) => {
      writeFileSync(join(folder, 'COMMIT_EDITMSG'), message)
      const path = `${process.execPath.replace(/\/[^/]+$/, '')}:${process.env['PATH'] ?? ''}`
      const program = join(root, '.githooks', 'commit-msg')
      const env = { ...process.env, PATH: path }
      return spawnSync(program, [join(folder, 'COMMIT_EDITMSG')], { env, encoding: 'utf8' })
    }
    assert.equal(hook(`payments: release the lock${BODY}`).status, 0)
    const stopped = hook('payments: released the lock\n')
    assert.equal(stopped.status, 1)
    assert.match(stopped.stderr, /imperative[\s\S]*no body[\s\S]*Nothing was committed/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
