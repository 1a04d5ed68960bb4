import Gatefold
import HTTPTypes
import Logging
import Metrics

/// Reports requests that a proxy forwarded which `server.trusted_proxies` does not list: all its clients then count as one.
///
/// A configuration check cannot find this, because only requests show it. A peer with a public address may be a client that
/// forges the header, so the two have different warnings, and neither silences the other.
final class UnlistedProxyWarning: Sendable {
    private let local: PacedWarning
    private let remote: PacedWarning
    private let localCount = Counter(
        label: "gatefold_unlisted_proxy_requests_total", dimensions: [("network", "local")])
    private let remoteCount = Counter(
        label: "gatefold_unlisted_proxy_requests_total", dimensions: [("network", "public")])

    init(logger: Logger) {
        local = PacedWarning(
            "A proxy is not listed in server.trusted_proxies: all its clients count as one address", [:],
            logger: logger)
        remote = PacedWarning(
            "A peer that is not listed in server.trusted_proxies sends X-Forwarded-For: if it is a proxy of yours, list it",
            [:], logger: logger)
    }

    /// Counts a request that came from such a peer, and warns once in a while.
    func note(_ peer: ClientAddress) {
        if peer.isLocal {
            localCount.increment()
            local.give(["peer": "\(peer)"])
        } else {
            remoteCount.increment()
            remote.give(["peer": "\(peer)"])
        }
    }
}
