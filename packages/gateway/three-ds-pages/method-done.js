'use strict'

/** Reports to the page around it, which is the gateway's own, that the issuer's page is done. */
parent.postMessage('tollgate.three-ds.method-done', location.origin)
