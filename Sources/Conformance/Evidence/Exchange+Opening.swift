extension Exchange {
    /// What the answer opens to whoever should be given nothing; nil for nothing.
    ///
    /// What a renewal's token is worth its verification says: the historic endpoint renews whatever it is given, into something as
    /// bad (PROTOCOLS 1.3).
    var opening: String? {
        guard let root else { return nil }
        if probe.call != .renewToken, root.token != nil { return "there is a token" }
        if root.credentials != nil { return "there are a userid and a password" }
        return root.state == "active" ? "the state is active" : nil
    }
}
