import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { untilSeen } from '../support/eventually.ts'
import { logIn, newUser, withUsers, type Login } from '../support/logins.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

/** Of each kind of refusal. */
const SAMPLES = 40
/**
 * If two kinds take equally long, one is above the other in half of the pairs. With so many samples
 * the share varies at random by 0.065. This limit is five times as far from a half.
 */
const FAR_APART = 0.85
/** A path that leaves the slow hash out, or does it twice, is beyond this ratio of the medians. */
const NOTICEABLE = 1.25

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway({
    LOGIN_FAILURE_LIMIT: '1000000',
    API_USER_IDLE_DAYS: '90',
    TRUST_PROXY: '127.0.0.1',
  })
})
after(() => gateway?.stop())

/**
 * Every way to be refused, with the code that is answered; all except two bring the right password.
 */
async function refusals(): Promise<
  Record<string, { readonly login: Login; readonly code: string }>
> {
  const [good, disabled, idle, tied, rotating] = [
    await newUser(gateway),
    await newUser(gateway),
    await newUser(gateway),
    await newUser(gateway),
    await newUser(gateway),
  ]
  // Remembered before they are refused, which must make none of them quicker.
  for (const login of [good, disabled, idle, tied])
    assert.equal(await logIn(gateway.baseUrl, login), '0')
  await withUsers(gateway, async (users) => {
    await users.addPassword(rotating.username, null)
    await users.disable(disabled.username)
    await users.allowFrom(tied.username, ['198.51.100.0/24'], null)
  })
  await gateway.pool.query(
    `update api_users set made_at = now() - interval '1 year', last_used_at = now() - interval '1 year'
      where username = $1`,
    [idle.username],
  )
  for (const { username, password } of [disabled, idle, tied]) {
    // Until the gateway has heard of it.
    await untilSeen(
      `${username} is refused`,
      () => logIn(gateway.baseUrl, { username, password }),
      (code) => code !== '0',
    )
  }
  return {
    'unknown user': { login: { ...good, username: 'nobody@tollgate.test' }, code: '101' },
    'wrong password': { login: { ...good, password: 'Wrong-4711' }, code: '101' },
    'wrong password of two': { login: { ...rotating, password: 'Wrong-4711' }, code: '101' },
    'address not allowed': { login: tied, code: '101' },
    'disabled user': { login: disabled, code: '102' },
    'idle user': { login: idle, code: '102' },
    'site of another merchant': { login: { ...good, site: '1002' }, code: '103' },
    'unknown site': { login: { ...good, site: '999999' }, code: '103' },
    'site that is no number': { login: { ...good, site: 'shop' }, code: '103' },
  }
}

/** Shuffles with a fixed seed, so that randomness does not decide whether the test passes. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  let state = 4_711
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)
  return items
    .map((item) => ({ item, key: next() }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ item }) => item)
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN
}

/** Mann and Whitney's U as a share: how often a value of the one is above a value of the other. */
function shareAbove(ones: readonly number[], others: readonly number[]): number {
  const above = ones.flatMap((one) =>
    others.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)),
  )
  return above.reduce<number>((sum, value) => sum + value, 0) / above.length
}

test('the duration of a refusal does not reveal its reason, and is longer than with a remembered password', async () => {
  const kinds = await refusals()
  const good = await newUser(gateway)
  assert.equal(await logIn(gateway.baseUrl, good), '0')
  const everything = { ...kinds, remembered: { login: good, code: '0' } }
  const times: Record<string, number[]> = {}
  const order = Object.entries(everything).flatMap((kind) =>
    Array.from({ length: SAMPLES }, () => kind),
  )
  for (const [kind, { login, code }] of shuffled(order)) {
    const start = performance.now()
    assert.equal(await logIn(gateway.baseUrl, login), code, kind)
    ;(times[kind] ??= []).push(performance.now() - start)
  }

  const { remembered = [], ...refused } = times
  for (const [kind, ones] of Object.entries(refused)) {
    assert.ok(
      shareAbove(ones, remembered) > FAR_APART,
      `${kind} is as quick as a remembered password`,
    )
    for (const [other, others] of Object.entries(refused)) {
      const share = shareAbove(ones, others)
      const ratio = median(ones) / median(others)
      assert.ok(
        share < FAR_APART || ratio < NOTICEABLE,
        `${kind} takes ${ratio.toFixed(2)} times as long as ${other}, and longer in ${share.toFixed(2)} of the pairs`,
      )
    }
  }
})
