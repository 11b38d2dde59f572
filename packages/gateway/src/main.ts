import { runWorker } from './wiring/worker.ts'

runWorker(process.env)
