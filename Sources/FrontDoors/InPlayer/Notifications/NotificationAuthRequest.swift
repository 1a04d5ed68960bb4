import ContentGate
import HTTPTypes
public import Hummingbird
public import Primitives

/// A responder for the server in front of the broker, which requests a decision about each app that wants to
/// receive notifications.
///
/// The response is 200 or 403, both without a body. With 200, `X-Gatefold-Account` names the account of the
/// notifications by its uuid, which is the topic. The target of the app's request is in `X-Original-URI`, as at the
/// other auth-request endpoints.
public struct NotificationAuthRequest<Context: RequestContext>: HTTPResponder {
    private let keys: @Sendable () -> [NotificationKeyIssuer]
    private let clock: WallClock
    private let trusts: @Sendable (Request, Context) -> Bool
    private let observe: @Sendable (Bool) -> Void

    /// - Parameters:
    ///   - keys: Returns the keys of all publications whose apps receive notifications.
    ///   - clock: The source of the current time.
    ///   - trusts: Returns whether the peer may name the target. All other peers get 403.
    ///   - observe: Receives whether the app was admitted. Must return at once.
    public init(
        keys: @escaping @Sendable () -> [NotificationKeyIssuer], clock: WallClock,
        trusts: @escaping @Sendable (Request, Context) -> Bool, observe: @escaping @Sendable (Bool) -> Void
    ) {
        self.keys = keys
        self.clock = clock
        self.trusts = trusts
        self.observe = observe
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        let account = account(request, context)
        observe(account != nil)
        var response = DenialHeaders.response(account == nil ? .forbidden : .ok)
        if let account, let name = HTTPField.Name("X-Gatefold-Account") { response.headers[name] = account }
        return response
    }

    /// Returns the account's uuid, or `nil` if the app may not receive notifications.
    private func account(_ request: Request, _ context: Context) -> String? {
        guard trusts(request, context), let (method, target) = ForwardedTarget.original.read(request.head),
            method == .get
        else { return nil }
        return keys().lazy.compactMap { $0.account(signing: target, at: clock.now) }.first
    }
}
