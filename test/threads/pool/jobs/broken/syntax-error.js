export default {{
