'use strict'

/** Reports to the page around it, if that is the gateway's own, that the customer is stuck here. */
parent.postMessage('tollgate.three-ds.stray', location.origin)
