import { withStore } from './backup-command.ts'
import { restoreCluster } from './backup/restore.ts'
import { WrongUsage } from './command.ts'
import { requireConfig, type OperatorCommand } from './operator-work.ts'
import { withProgress } from './progress.ts'
import { StartupError } from './startup-error.ts'

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)$/

/** Brings a backup back into an empty data folder. docs/operators/backup.md */
export const restore: OperatorCommand = {
  name: 'restore',
  summary: 'restore [--to <time>]: restore the embedded database into an empty DATA_DIR',
  forms: [
    {
      words: '',
      options: ['[--to <time>]'],
      help: 'restores the latest state, or that of a time such as 2026-11-22T09:30:00Z',
      async run({ option }, { complain, env, print }) {
        const to = readTime(option('to'))
        if (requireConfig(env).databaseUrl !== null) {
          throw new StartupError(
            'DATABASE_URL is set, and a restore is for the embedded PostgreSQL. Unset it, or ' +
              'restore your own server with its own tools.',
          )
        }
        return withStore(env, (opened) =>
          withProgress(complain, async (onProgress) => {
            const restored = await restoreCluster({ env, opened, to, onProgress })
            const { advanced, backup, reached, timeline } = restored
            const moment = reached?.toISOString() ?? backup.endedAt
            print(
              `The database was restored to ${moment}, from the backup ${backup.id}. It is on ` +
                `timeline ${timeline}.`,
            )
            print(`${advanced} sequences of ids were moved beyond all that may be assigned.`)
            print(
              'Provide the key-encrypting key, start Tollgate without shops, and run "tollgate ' +
                'verify" and "tollgate recon": docs/operators/backup.md#after-a-restore.',
            )
            return 0
          }),
        )
      },
    },
  ],
}

function readTime(text: string | undefined): Date | null {
  if (text === undefined) return null
  const time = new Date(text)
  if (TIME.test(text) && !Number.isNaN(time.getTime())) return time
  throw new WrongUsage(
    `--to is "${text}"; it must be a time with its zone, such as 2026-11-22T09:30:00Z.`,
  )
}
