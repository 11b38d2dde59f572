#!/usr/bin/env node
import { maskText } from '@tollgate/gateway'
import { faultText, runCommandLine } from './command-line.ts'

// Node opens a debugger on SIGUSR1, and every user of the machine can connect to it.
process.on('SIGUSR1', () => undefined)

process.on('uncaughtException', (error: unknown) => {
  process.stderr.write(`${maskText(faultText(error))}\n`)
  process.exit(1)
})

const code = await runCommandLine(process.argv.slice(2), {
  folder: process.cwd(),
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
process.exit(code)
