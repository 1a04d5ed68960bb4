import Gatefold

/// The metric and the log line of a refused call.
///
/// Filters for fail2ban read the line; see deploy/fail2ban. The client is its only field about an unknown reader.
struct RefusalReport: ReportableEvent {
    /// The message of the line.
    static let message = "Refused"

    let refusal: Refusal
    /// The client that sent the request; nil outside of requests, and if only the address of a proxy is known.
    let client: ClientAddress?
    /// The proxy that sent the request without the address of its client. A filter must not ban it, because all clients of
    /// the proxy share it.
    let proxy: ClientAddress?

    var report: EventReport {
        .counter(
            "gatefold_refusals_total",
            [
                "publication": refusal.publication?.rawValue ?? "none", "call": refusal.call.rawValue,
                "reason": refusal.reason.rawValue,
            ]
        ).log(
            .info, Self.message,
            [
                "reason": refusal.reason.rawValue, "call": refusal.call.rawValue, "publication": refusal.publication,
                "subscriber": refusal.subscriber, "edition": refusal.edition, "backend": refusal.backend,
                "freshness": refusal.freshness?.name, "detail": refusal.detail, "client": client, "proxy": proxy,
            ])
    }
}
