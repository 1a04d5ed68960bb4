extension Exchange {
    /// The access that a response grants although it should grant none; nil for no access.
    ///
    /// A token from a renewal does not count. Its verification shows whether it is valid, because the historic
    /// endpoint renews every token, and a made-up token becomes another invalid one.
    ///
    /// Source: Pugpig test endpoint and test console, “Renewal by test users”.
    var opening: String? {
        guard let root else { return nil }
        if probe.call != .renewToken, root.token != nil { return "a token was issued" }
        if root.credentials != nil { return "a userid and a password were issued" }
        return root.state == "active" ? "the state is active" : nil
    }
}
