/// Signing in and out, and the account itself.
public struct AccountService: Sendable {
    let calls: Calls
    let merchant: InPlayerMerchant

    /// Makes an account, and signs in to it where the service does so.
    ///
    /// - Throws: ``InPlayerError/refused(_:)`` with what is wrong in each field.
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
        let answer = try await calls.answer(endpoint)
        if let session = try? StoredSession(answer) {
            try await calls.keeper.begin(session)
            if let account = session.account { return account }
        }
        return try Calls.model(answer["account"] ?? answer)
    }

    /// Signs in.
    ///
    /// - Throws: ``InPlayerError/refused(_:)`` for wrong credentials, too.
    @discardableResult
    public func signIn(_ username: String, password: String) async throws(InPlayerError) -> StoredSession {
        try await authenticate(.password(username: username, password: password))
    }

    /// Signs in as the merchant's own program, which has no person's account.
    @discardableResult
    public func signIn(clientSecret: String) async throws(InPlayerError) -> StoredSession {
        try await authenticate(.client(secret: clientSecret))
    }

    /// Signs in with a refresh token from elsewhere, such as the fragment of a social login's redirect.
    @discardableResult
    public func signIn(refreshToken: String) async throws(InPlayerError) -> StoredSession {
        try await authenticate(.refresh(refreshToken))
    }

    private func authenticate(_ authentication: Authentication) async throws(InPlayerError) -> StoredSession {
        let session: StoredSession = try await calls.model(.authentication(merchant, authentication))
        try await calls.keeper.begin(session)
        return session
    }

    /// Signs out. On this device that is so in any case; the error says whether the service knows it.
    public func signOut() async throws(InPlayerError) {
        // A token that is over is no reason to get a new one just to end it.
        let kept: StoredSession?
        do throws(InPlayerError) {
            kept = try await calls.keeper.current()
        } catch {
            try await calls.keeper.end()
            throw error
        }
        guard let session = kept else { return }
        let request = Endpoint(.get, "accounts", "logout").request(to: calls.base, token: session.accessToken)
        try await calls.keeper.end()
        let response = try await calls.send(request)
        if response.status != 401 { _ = try Calls.read(response) }
    }

    /// The account of whoever is signed in, as it is now.
    public func current() async throws(InPlayerError) -> Account {
        let era = await calls.keeper.era
        let account: Account = try await calls.model(Endpoint(.get, "accounts", authorization: .required))
        try await calls.keeper.update(account, era)
        return account
    }

    /// - Returns: the account as it is then.
    @discardableResult
    public func update(_ update: AccountUpdate) async throws(InPlayerError) -> Account {
        var endpoint = Endpoint(.put, "accounts", authorization: .required)
        endpoint.body.add("full_name", update.fullName)
        endpoint.body.add("metadata", update.metadata)
        endpoint.body.add("referrer", merchant.referrer)
        endpoint.body.add("date_of_birth", update.dateOfBirth)
        let era = await calls.keeper.era
        let account: Account = try await calls.model(endpoint)
        try await calls.keeper.update(account, era)
        return account
    }

    /// Erases the account for good, with everything it has, and signs out.
    public func erase(password: String) async throws(InPlayerError) {
        var endpoint = Endpoint(.delete, "accounts", "erase", authorization: .required)
        endpoint.body.add("password", password)
        endpoint.body.add("branding_id", merchant.brandingID)
        let era = await calls.keeper.era
        _ = try await calls.answer(endpoint)
        try await calls.keeper.end(era)
    }
}
