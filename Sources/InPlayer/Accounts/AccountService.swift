/// Operations on the account: sign in, sign out, and changes.
public struct AccountService: Sendable {
    let calls: Calls
    let merchant: InPlayerMerchant

    /// Creates an account, and signs in if the service returns a session.
    ///
    /// - Throws: ``InPlayerError/rejected(_:)`` with the error of each field.
    @discardableResult
    public func create(_ registration: AccountRegistration) async throws(InPlayerError) -> Account {
        var endpoint = Endpoint(.post, "accounts")
        endpoint.body.add("full_name", registration.fullName)
        endpoint.body.add("username", registration.email)
        endpoint.body.add("password", registration.password)
        endpoint.body.add("password_confirmation", registration.password)
        endpoint.body.add("type", "consumer")
        endpoint.body.add("client_id", merchant.clientID)
        endpoint.body.add("grant_type", "password")
        endpoint.body.add("referrer", merchant.referrer)
        endpoint.body.add("metadata", registration.metadata)
        endpoint.body.add("branding_id", merchant.brandingID)
        let response = try await calls.response(endpoint)
        if let session = try? StoredSession(response) {
            try await calls.sessionManager.begin(session)
            if let account = session.account { return account }
        }
        return try Calls.model(response["account"] ?? response)
    }

    /// Signs in.
    ///
    /// - Throws: ``InPlayerError/rejected(_:)``, also for wrong credentials.
    @discardableResult
    public func signIn(_ username: String, password: String) async throws(InPlayerError) -> StoredSession {
        try await authenticate(.password(username: username, password: password))
    }

    /// Signs in as the merchant's own program, without a person's account.
    @discardableResult
    public func signIn(clientSecret: String) async throws(InPlayerError) -> StoredSession {
        try await authenticate(.client(secret: clientSecret))
    }

    /// Signs in with an external refresh token, such as a token from the fragment of a social login's redirect.
    @discardableResult
    public func signIn(refreshToken: String) async throws(InPlayerError) -> StoredSession {
        try await authenticate(.refresh(refreshToken))
    }

    private func authenticate(_ authentication: Authentication) async throws(InPlayerError) -> StoredSession {
        let session: StoredSession = try await calls.model(.authentication(merchant, authentication))
        try await calls.sessionManager.begin(session)
        return session
    }

    /// Signs out. The local session ends in any case. An error means that the service may not have ended its
    /// session.
    public func signOut() async throws(InPlayerError) {
        // An expired token must not be renewed only to end the session.
        let stored: StoredSession?
        do throws(InPlayerError) {
            stored = try await calls.sessionManager.current()
        } catch {
            try await calls.sessionManager.end()
            throw error
        }
        guard let session = stored else { return }
        let request = Endpoint(.get, "accounts", "logout").request(to: calls.base, token: session.accessToken)
        try await calls.sessionManager.end()
        let response = try await calls.send(request)
        if response.status != 401 { _ = try Calls.read(response) }
    }

    /// Returns the current account of the signed-in reader.
    public func current() async throws(InPlayerError) -> Account {
        let generation = await calls.sessionManager.generation
        let account: Account = try await calls.model(Endpoint(.get, "accounts", authorization: .required))
        try await calls.sessionManager.update(account, generation)
        return account
    }

    /// Updates the account.
    ///
    /// - Returns: The updated account.
    @discardableResult
    public func update(_ update: AccountUpdate) async throws(InPlayerError) -> Account {
        var endpoint = Endpoint(.put, "accounts", authorization: .required)
        endpoint.body.add("full_name", update.fullName)
        endpoint.body.add("metadata", update.metadata)
        endpoint.body.add("referrer", merchant.referrer)
        endpoint.body.add("date_of_birth", update.dateOfBirth)
        let generation = await calls.sessionManager.generation
        let account: Account = try await calls.model(endpoint)
        try await calls.sessionManager.update(account, generation)
        return account
    }

    /// Erases the account permanently with all its data, and signs out.
    public func erase(password: String) async throws(InPlayerError) {
        var endpoint = Endpoint(.delete, "accounts", "erase", authorization: .required)
        endpoint.body.add("password", password)
        endpoint.body.add("branding_id", merchant.brandingID)
        let generation = await calls.sessionManager.generation
        _ = try await calls.response(endpoint)
        try await calls.sessionManager.end(generation)
    }
}
