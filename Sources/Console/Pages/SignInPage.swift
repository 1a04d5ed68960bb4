import Gatefold
import Primitives

/// The pages without a session.
enum SignInPage {
    private static let howTo = """
        The console opens with a link that works once, within five minutes. An operator creates one on the machine of the server, \
        for example with: gatefold admin login-link --name ada --role support
        """

    /// The page of a link. It reads nothing, so that a program which only opens links changes nothing.
    static func page(_ link: AdminToken) -> Page {
        Page(
            "Sign in",
            [
                Block(
                    text: "The link works once. If you did not ask for it, close this page.",
                    forms: [
                        .post(
                            "/sign-in/\(PercentEncoding.encode(link.text))", [], button: "Open the console",
                            hasToken: false)
                    ])
            ])
    }

    static let signedOut = Page("Signed out", banners: [.good("The session has ended.")], [Block(text: howTo)])

    static func needed(_ problem: ConsoleProblem) -> Page {
        Page("Sign in", banners: [.problem(problem.text)], [Block(text: howTo)])
    }
}
