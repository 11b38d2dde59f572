import type { Fields, Form } from './answer.ts'
import type { Sweep } from './sweep.ts'

interface Events {
  readonly COLUMNS: readonly string[]
  readonly DATA: readonly (readonly unknown[])[]
}

/** The rows of CCSTATUS, and the outcomes that they show. */
export async function readRows({ see, send }: Sweep, about: Form): Promise<readonly Fields[]> {
  const { fields } = await send({ REQUEST_ACTION: 'CCSTATUS', ...about })
  const { COLUMNS = '[]', DATA = '[]' } = fields
  const { columns, data } = {
    columns: JSON.parse(COLUMNS) as Events['COLUMNS'],
    data: JSON.parse(DATA) as Events['DATA'],
  }
  const rows = data.map((row) =>
    Object.fromEntries(columns.map((name, at) => [name, String(row[at])])),
  )
  for (const row of rows) {
    see('rows', row['REQUEST_ACTION'] ?? '')
    see('rows', row['TRANS_STATUS_NAME'] ?? '')
    see('rows', `origin ${row['TRANS_ORIGIN']}`)
    see('rows', row['TRANS_SETTLED'] === '1' ? 'settled' : 'not settled')
  }
  return rows
}
