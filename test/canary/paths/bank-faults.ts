import { card } from '../marks.ts'
import { payment, untilServed, type Path } from '../path.ts'

/** The bank slow, silent, torn, wrong and refusing; then killed under its payments. */
export const bankFaults: Path = {
  name: 'faults of the bank',
  seen: ['bankFault', 'bankCrash'],
  async push(run) {
    const number = card('bankFault')
    const amounts = [
      '9100.03',
      '9101.00',
      '9101.01',
      '9102.01',
      '9103.00',
      '9107.00',
      '9107.01',
      '9107.03',
      '9109.00',
      '9110.00',
      '9110.03',
      '9111.00',
      '9111.50',
      '9112.00',
    ]
    await Promise.all(amounts.map((amount) => run.send(payment(number, amount))))
    // Each of these breaks the connection for all who wait on it.
    for (const amount of ['9104.00', '9105.00', '9106.00', '9107.02']) {
      await run.send(payment(number, amount))
      await untilServed(run, number)
    }
    await rule(run, {
      match: { mti: '0220' },
      count: 1,
      action: { kind: 'code', code: '96', applied: false },
    })
    await rule(run, {
      match: { mti: '0100' },
      count: 1,
      action: { kind: 'code', code: '30', applied: false },
    })
    await run.send(payment(number, '11.00'))
    await run.send({ ...payment(number, '12.00'), REQUEST_ACTION: 'CCAUTHORIZE' })

    const crashed = run.send(payment(card('bankCrash'), '9101.02'))
    kill(run.processes(), /bank\/(?:src|dist)\/main/)
    await crashed
    await untilServed(run, card('bankCrash'))
  },
}

async function rule(run: Parameters<Path['push']>[0], given: object): Promise<void> {
  await fetch(`${run.bankControlUrl}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(given),
  })
}

/** Ends at once each process whose command line matches. */
export function kill(
  processes: readonly { readonly pid: number; readonly commandLine: string }[],
  which: RegExp,
  signal: NodeJS.Signals = 'SIGKILL',
): void {
  const found = processes.filter(({ commandLine }) => which.test(commandLine))
  if (found.length === 0) throw new Error(`No process of the program matches ${which}.`)
  for (const { pid } of found) process.kill(pid, signal)
}
