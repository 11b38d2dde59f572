import { card, PASSWORD } from '../marks.ts'
import { inTurn, type Path } from '../path.ts'

const AT_ONCE = 4

/** What an operator types, right and wrong. */
export const commands: Path = {
  name: 'commands of an operator',
  seen: [],
  async push(run) {
    const number = card('command')
    const account = {
      id: 2001, merchantId: 1, mode: 'test', processorName: `bank ${number}`, acquirerId: '414000',
      acquirerMerchantId: number.slice(0, 15), categoryCode: '5999', name: number, city: 'x', country: 'US',
      currencies: ['USD'],
    }
    const link = {
      name: 'canary', mode: 'test', addresses: [number], profile: number, institutionId: number, tls: number,
    }
    await inTurn(AT_ONCE, [
      ['config'],
      ['help'],
      ['version'],
      ['verify'],
      ['queue', '--json'],
      ['recon', '--json'],
      ['links'],
      ['audit', 'verify'],
      ['audit', 'export'],
      ['audit', 'show', '--object', number],
      [number],
      ['verify', number],
      ['links', 'put', number],
      ['links', 'put', run.file('link.json', JSON.stringify(link))],
      ['accounts', 'put', run.file('account.json', JSON.stringify(account))],
      ['accounts', 'put', run.file('torn.json', `{"id": ${number}, "password": "${PASSWORD}`)],
      ['sites', 'set-mode', number, 'live'],
      ['sites', 'key', '1001'],
      ['sites', 'key', number, 'new'],
      ['sites', 'key', '1002', number],
      ['sites', 'origins', '1001', number],
      ['audit', 'show', '--act', number],
      ['audit', 'verify', '--file', run.file('log.jsonl', number)],
    ].values(), (args) => run.command(...args))
  },
}
