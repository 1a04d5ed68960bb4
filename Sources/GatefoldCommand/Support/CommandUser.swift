import Foundation
import Gatefold

/// The user of the command line, as the audit log names them.
enum CommandUser {
    /// Returns `USER@HOST`, or `PERSON(sudo USER)@HOST` if sudo started the command.
    ///
    /// The user is the account of the process. The person is the value of `SUDO_USER`, which sudo sets. It is only a claim,
    /// because every program of that account can set the variable.
    static func actor(_ environment: [String: String]) -> AuditActor {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "uid \(geteuid())"
        var name = user
        if let person = environment["SUDO_USER"], !person.isEmpty, person != user { name = "\(person)(sudo \(user))" }
        return AuditActor(.commandLineUser, name: "\(name)@\(ProcessInfo.processInfo.hostName)")
    }
}
