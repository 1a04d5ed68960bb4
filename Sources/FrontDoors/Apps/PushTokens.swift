import Gatefold

extension Storefront {
    /// Keeps the push token that an installation sent, where it is one.
    ///
    /// - Throws: ``Unavailable`` when the store could not keep it.
    func register(pushToken text: String, of app: String, in environment: PushEnvironment) async throws {
        switch PushTokenText.read(text) {
        case .malformed:
            observe(.pushToken(app: app, .malformed))
        case .truncated:
            observe(.pushToken(app: app, .truncated))
        case .token(let bytes):
            do {
                try await pushTokens?.register(
                    PushToken(app: app, bytes: bytes, environment: environment), at: proxy.now)
            } catch {
                throw Unavailable(retryAfter: 30, cause: String(describing: type(of: error)))
            }
            observe(.pushToken(app: app, .registered))
        }
    }
}
