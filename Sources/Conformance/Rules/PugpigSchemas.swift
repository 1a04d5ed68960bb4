package import XML

/// The documents of the calls in RELAX NG: their elements and attributes. What may stand in them is the business of other
/// rules, which can say better what is wrong.
package struct PugpigSchemas {
    private let byCall: [Call: RelaxNGSchema]

    package init() throws {
        let token = try RelaxNGSchema(Self.token)
        byCall = [
            .signIn: token, .renewToken: token, .verifySubscription: try RelaxNGSchema(Self.subscription),
            .editionCredentials: try RelaxNGSchema(Self.credentials),
        ]
    }

    package subscript(call: Call) -> RelaxNGSchema? { byCall[call] }

    private static let error = """
        <define name="error">
          <element name="error">
            <optional><attribute name="status"/></optional>
            <optional><attribute name="message"/></optional>
            <text/>
          </element>
        </define>
        """

    private static func grammar(_ start: String) -> String {
        """
        <grammar xmlns="http://relaxng.org/ns/structure/1.0">
        <start>\(start)</start>
        \(error)
        </grammar>
        """
    }

    /// Of sign-in and renewal.
    package static let token = grammar(
        """
        <choice>
          <element name="token"><optional><attribute name="global_auth_password"/></optional><text/></element>
          <ref name="error"/>
        </choice>
        """)

    /// Of a verification. Readers of `term` and of `value` exist, so a category has one of them or both (PROTOCOLS 6A row 1).
    package static let subscription = grammar(
        """
        <element name="subscription">
          <attribute name="state"/>
          <optional><attribute name="message"/></optional>
          <interleave>
            <optional>
              <element name="userinfo">
                <zeroOrMore>
                  <element name="category">
                    <attribute name="scheme"/>
                    <choice>
                      <attribute name="term"/>
                      <attribute name="value"/>
                      <group><attribute name="term"/><attribute name="value"/></group>
                    </choice>
                    <empty/>
                  </element>
                </zeroOrMore>
              </element>
            </optional>
            <optional>
              <element name="issues"><zeroOrMore><element name="issue"><text/></element></zeroOrMore></element>
            </optional>
          </interleave>
        </element>
        """)

    /// Of edition credentials. A bare error as the root is read here, and judged by a rule of its own.
    package static let credentials = grammar(
        """
        <choice>
          <element name="credentials">
            <choice>
              <group>
                <element name="userid"><text/></element>
                <element name="password"><text/></element>
                <zeroOrMore><element name="header"><attribute name="name"/><text/></element></zeroOrMore>
              </group>
              <ref name="error"/>
            </choice>
          </element>
          <ref name="error"/>
        </choice>
        """)
}
