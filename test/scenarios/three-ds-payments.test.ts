import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { answerChallenge, CARD, enrol, finish, said } from '../support/three-ds.ts'

let gateway: RunningGateway

before(async () => {
  gateway = await startRunningGateway({}, undefined, {}, { timeScale: 10 })
})
after(() => gateway.stop())

test('try', async () => {
  await new Promise((r) => setTimeout(r, 2500))
  console.log(await enrol(gateway, CARD.authenticated))
  const pending = await enrol(gateway, CARD.challenged)
  console.log(pending)
  console.log((await answerChallenge(gateway, pending, '1234')).slice(0, 300))
  console.log(said(await finish(gateway, CARD.challenged, pending)))
  console.log(gateway.logged().split('\n').filter((l) => /Secure|3ds|three/i.test(l)).slice(-20).join('\n'))
})
