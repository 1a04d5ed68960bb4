import Gatefold
import HTTPTypes
import Logging
import Metrics
import Primitives

/// A warning about requests that a proxy forwarded which `server.trusted_proxies` does not list. All clients of
/// such a proxy count as one.
///
/// A configuration check cannot find this, because only requests show it. A peer with a public address may be a
/// client that forges the header, so the two cases have different warnings, and neither silences the other.
final class UnlistedProxyWarning: Sendable {
    private let logger: Logger
    private let local = LogRateLimiter()
    private let remote = LogRateLimiter()
    private let localCount = Counter(
        label: "gatefold_unlisted_proxy_requests_total", dimensions: [("network", "local")])
    private let remoteCount = Counter(
        label: "gatefold_unlisted_proxy_requests_total", dimensions: [("network", "public")])

    init(logger: Logger) {
        self.logger = logger
    }

    /// Counts a request that came from such a peer, and logs the warning at most once a minute.
    func record(_ peer: ClientAddress) {
        if peer.isLocal {
            localCount.increment()
            guard local.admits() else { return }
            logger.warning(
                "Proxy not listed in server.trusted_proxies: all its clients count as one address",
                metadata: ["peer": "\(peer)"])
        } else {
            remoteCount.increment()
            guard remote.admits() else { return }
            logger.warning(
                "X-Forwarded-For from a peer not listed in server.trusted_proxies: list it if it is your proxy",
                metadata: ["peer": "\(peer)"])
        }
    }
}
