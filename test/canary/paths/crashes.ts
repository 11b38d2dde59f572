import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { processesInside } from '../../../packages/tollgate/src/running-process.ts'
import { killAll } from '../../../packages/tollgate/test/program.ts'
import { card } from '../marks.ts'
import { payment, untilServed, valueOf, type Path } from '../path.ts'
import { kill } from './bank-faults.ts'

/** The database, the gateway and the vault process killed, and an uncaught error. */
export const crashes: Path = {
  name: 'crashes of database and gateway',
  seen: ['database', 'workerCrash', 'uncaught'],
  async push(run) {
    const flood = (number: string): Promise<string>[] =>
      Array.from({ length: 12 }, (_, at) => run.send(payment(number, `9100.0${at % 4}`)))

    const withoutDatabase = flood(card('database'))
    // A child of the server may end by itself, once its parent is dead.
    killAll(processesInside(realpathSync(join(run.dataDir, 'postgres', 'cluster'))))
    await Promise.all([...withoutDatabase, ...flood(card('database'))])
    await untilServed(run, card('database'))

    for (const signal of ['SIGKILL', 'SIGABRT', 'SIGSEGV'] as const) {
      const killed = flood(card('workerCrash'))
      kill(run.processes(), /broken-gateway-main/, signal)
      await Promise.all(killed)
      await untilServed(run, card('workerCrash'))
    }
    for (const signal of ['SIGABRT', 'SIGSEGV'] as const) {
      const waiting = flood(card('workerCrash'))
      kill(run.processes(), /vault-main/, signal)
      await Promise.all(waiting)
      await untilServed(run, card('workerCrash'))
    }

    await run.send(payment(card('uncaught'), '9199.99'))
    await run.line(/uncaught error/)
    await untilServed(run, card('uncaught'))
    // A statement that fails: the error of the database holds the row.
    await run.query(
      'alter table transactions add constraint canary check (amount_minor <> 4711) not valid',
    )
    const failed = await run.send(payment(card('uncaught'), '47.11'))
    if (valueOf(failed, 'API_RESPONSE') !== '120')
      throw new Error(`A failed write was answered: ${failed}`)
    await run.query('alter table transactions drop constraint canary')
    // Requests that a crash removed from the request log are sent once more.
    for (const name of ['database', 'workerCrash'] as const) await untilServed(run, card(name))
  },
}
