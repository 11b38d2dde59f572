import { runBank } from './run-bank.ts'

await runBank(process.env)
