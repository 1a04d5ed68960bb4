import ContentGate
import Gatefold
import HTTPTypes
package import Hummingbird
package import Primitives

/// A responder for the server in front of the broker, which requests a decision about each app that wants to
/// receive notifications.
///
/// The response is 200 or 403, both without a body. With 200, `X-Gatefold-Account` names the account of the
/// notifications by its uuid, which is the topic. The target of the app's request is in `X-Original-URI`, as at the
/// other auth-request endpoints.
package struct NotificationAuthRequest: Sendable {
    package let keys: [NotificationKeyIssuer]
    private let clock: WallClock
    private let observe: @Sendable (Bool) -> Void

    /// - Parameters:
    ///   - keys: The keys of all publications whose apps receive notifications.
    ///   - clock: The source of the current time.
    ///   - observe: Receives whether the app was admitted. Must return at once.
    package init(
        keys: [NotificationKeyIssuer] = [], clock: WallClock, observe: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        self.keys = keys
        self.clock = clock
        self.observe = observe
    }

    /// - Parameter isTrusted: Whether the peer may name the target. All other peers get 403.
    package func respond(to request: Request, isTrusted: Bool) -> Response {
        let account = isTrusted ? account(request) : nil
        observe(account != nil)
        var response = DenialHeaders.response(account == nil ? .forbidden : .ok)
        if let account, let name = HTTPField.Name("X-Gatefold-Account") { response.headers[name] = account }
        return response
    }

    /// Returns the account's uuid, or `nil` if the app may not receive notifications.
    private func account(_ request: Request) -> String? {
        guard let (method, target) = ForwardedTarget.original.read(request.head), method == .get else { return nil }
        return keys.lazy.compactMap { $0.account(signing: target, at: clock.now) }.first
    }
}

/// A broker's query whether an app may subscribe to notifications.
struct NotificationAuthorizationEvent: ReportableEvent {
    let isAllowed: Bool

    var report: EventReport {
        .counter("gatefold_notification_authorizations_total", ["result": isAllowed ? "allowed" : "denied"])
    }
}
