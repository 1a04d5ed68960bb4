extension AccountService {
    /// Changes the password of the signed-in reader.
    public func changePassword(from old: String, to new: String) async throws(InPlayerError) {
        var endpoint = Endpoint(.post, "accounts", "change-password", authorization: .required)
        endpoint.body.add("old_password", old)
        endpoint.body.add("password", new)
        endpoint.body.add("password_confirmation", new)
        endpoint.body.add("branding_id", merchant.brandingID)
        _ = try await calls.response(endpoint)
    }

    /// Requests an e-mail message with a token for ``setNewPassword(_:token:)``.
    public func requestForgotPasswordToken(email: String) async throws(InPlayerError) {
        var endpoint = Endpoint(.post, "accounts", "forgot-password")
        endpoint.body.add("merchant_uuid", merchant.uuid)
        endpoint.body.add("email", email)
        endpoint.body.add("branding_id", merchant.brandingID)
        _ = try await calls.response(endpoint)
    }

    /// Sets a new password.
    ///
    /// - Parameters:
    ///   - password: The new password.
    ///   - token: The token from the e-mail message.
    public func setNewPassword(_ password: String, token: String) async throws(InPlayerError) {
        guard !token.isEmpty else { throw .invalid("expected the token from the e-mail") }
        var endpoint = Endpoint(.put, "accounts", "forgot-password", token)
        endpoint.body.add("password", password)
        endpoint.body.add("password_confirmation", password)
        endpoint.body.add("branding_id", merchant.brandingID)
        _ = try await calls.response(endpoint)
    }
}
