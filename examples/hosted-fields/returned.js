import { tellReturned } from '/three-ds.js'

tellReturned()
