import Gatefold
import Mail
import Primitives

extension GatefoldConfiguration {
    /// Returns the keys whose new values take effect only at the next start.
    func keysForNextStart(after current: GatefoldConfiguration) -> [String] {
        let changes = [
            ("server.listen", listen != current.listen),
            ("server.admin_listen", adminListen != current.adminListen),
            (
                "server.admin_tls",
                (adminTLS == nil) != (current.adminTLS == nil) || nodeAuthorities != current.nodeAuthorities
            ),
            ("server.tls", (tls == nil) != (current.tls == nil)),
            ("server.shutdown_grace", shutdownGrace != current.shutdownGrace),
            ("server.limits", limits != current.limits),
            ("log", log != current.log),
            ("state", state.fingerprint != current.state.fingerprint),
            ("login_throttle", loginThrottle != current.loginThrottle),
            ("passwords", !passwords.isSame(as: current.passwords)),
            ("timeline", timeline != current.timeline),
            ("mail", mail?.fingerprint != current.mail?.fingerprint),
            ("notifications", notifications?.fingerprint != current.notifications?.fingerprint),
        ]
        return changes.filter(\.1).map(\.0)
    }
}

extension PasswordConfiguration {
    fileprivate func isSame(as other: Self) -> Bool {
        workers == other.workers && cost == other.cost
            && isEqualInConstantTime(pepper?.bytes ?? [], other.pepper?.bytes ?? [])
    }
}
