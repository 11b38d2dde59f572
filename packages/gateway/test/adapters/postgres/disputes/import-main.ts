import { openDatabase } from '../../../../src/adapters/postgres/connection/database.ts'
import { importNoticeText } from './dispute-books.ts'

// A process of its own that imports notices, so that a test can kill it: database, text.
const [url = '', text = ''] = process.argv.slice(2)
await importNoticeText(openDatabase(url, () => undefined).pool, text)
