import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { untilSeen } from '../support/eventually.ts'
import { logIn, newUser, tally } from '../support/logins.ts'
import { payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway({ LOGIN_FAILURE_LIMIT: '10', TRUST_PROXY: '127.0.0.1' })
})
after(() => gateway?.stop())

test('payments go on while unknown names flood the login, and excess logins get HTTP 503', async () => {
  const client = gateway.client()
  assert.equal((await client.sale(payment('10.00'))).status, 'APPROVED')
  let open = 0
  const flood = Array.from({ length: 200 }, async (_, at) => {
    open += 1
    const login = { username: `nobody-${at}@tollgate.test`, password: 'x' }
    const answer = await logIn(gateway.baseUrl, { ...login, address: `203.0.113.${at % 2}` })
    open -= 1
    return answer
  })

  for (let at = 0; at < 5; at += 1) {
    assert.equal((await client.sale(payment('10.00'))).status, 'APPROVED')
  }

  assert.ok(open > 0, 'the flood was over before the payments were')
  const answers = tally(await Promise.all(flood))
  assert.deepEqual(Object.keys(answers).toSorted(), ['101', 'HTTP 503'])
  // All the places of two addresses; the next test takes those of the whole process.
  assert.ok((answers['101'] ?? 0) >= 128)
})

const REFUSED_SENDER_RESTS_MS = 50

test('a flood of logins from 4 and 64 addresses keeps no other address from its first login', async () => {
  let addresses = 4
  let made = 0
  let isOver = false
  const flood = Array.from({ length: 300 }, async () => {
    while (!isOver) {
      made += 1
      const username = `made-up-${made}@tollgate.test`
      const address = `198.51.100.${made % addresses}`
      const answer = await logIn(gateway.baseUrl, { username, password: 'x', address })
      // A refused sender comes again in a moment: more often would measure this process alone.
      if (answer === 'HTTP 503') await pause(REFUSED_SENDER_RESTS_MS)
    }
  })
  try {
    for (addresses of [4, 64]) {
      const login = { username: 'full?', password: 'x', address: '198.51.100.0' }
      await untilSeen(
        `a flood from ${addresses} addresses takes all the places that it can get`,
        () => logIn(gateway.baseUrl, login),
        (answer) => answer === 'HTTP 503',
        { everyMs: 0 },
      )
      const user = { ...(await newUser(gateway)), address: `203.0.113.${100 + addresses}` }
      // A database that a busy machine starves is answered with 503 too, so that one is repeated.
      let answer = await logIn(gateway.baseUrl, user)
      for (let repeats = 0; repeats < 2 && answer === 'HTTP 503'; repeats += 1) {
        answer = await logIn(gateway.baseUrl, user)
      }
      assert.equal(answer, '0', user.address)
    }
  } finally {
    isOver = true
    await Promise.all(flood)
  }
})
