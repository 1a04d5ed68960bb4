/// The credentials of a sign-in.
///
/// Source: InPlayer protocol, “Grant types”.
enum Authentication: Sendable {
    case password(username: String, password: String)
    case refresh(String)
    case client(secret: String)
}

extension Endpoint {
    static func authentication(_ merchant: InPlayerMerchant, _ authentication: Authentication) -> Endpoint {
        var endpoint = Endpoint(.post, "accounts", "authenticate")
        endpoint.body.add("client_id", merchant.clientID)
        switch authentication {
        case .password(let username, let password):
            endpoint.body.add("grant_type", "password")
            endpoint.body.add("username", username)
            endpoint.body.add("password", password)
        case .refresh(let token):
            endpoint.body.add("grant_type", "refresh_token")
            endpoint.body.add("refresh_token", token)
        case .client(let secret):
            endpoint.body.add("grant_type", "client_credentials")
            endpoint.body.add("client_secret", secret)
        }
        return endpoint
    }
}
